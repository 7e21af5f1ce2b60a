"""Types of schema.org whose objects are also of a wider type: a Plumber is a LocalBusiness."""

from collections import defaultdict
from typing import Final

_NARROWER: Final = """
LocalBusiness: AnimalShelter ArchiveOrganization AutomotiveBusiness ChildCare Dentist
  DryCleaningOrLaundry EmergencyService EmploymentAgency EntertainmentBusiness FinancialService
  FoodEstablishment GovernmentOffice HealthAndBeautyBusiness HomeAndConstructionBusiness
  InternetCafe LegalService Library LodgingBusiness MedicalBusiness ProfessionalService RadioStation
  RealEstateAgent RecyclingCenter SelfStorage ShoppingCenter SportsActivityLocation Store
  TelevisionStation TouristInformationCenter TravelAgency
AutomotiveBusiness: AutoBodyShop AutoDealer AutoPartsStore AutoRental AutoRepair AutoWash GasStation
  MotorcycleDealer MotorcycleRepair
EmergencyService: FireStation Hospital PoliceStation
EntertainmentBusiness: AdultEntertainment AmusementPark ArtGallery Casino ComedyClub MovieTheater
  NightClub
FinancialService: AccountingService AutomatedTeller BankOrCreditUnion InsuranceAgency
FoodEstablishment: Bakery BarOrPub Brewery CafeOrCoffeeShop Distillery FastFoodRestaurant
  IceCreamShop Restaurant Winery
GovernmentOffice: PostOffice
HealthAndBeautyBusiness: BeautySalon DaySpa HairSalon HealthClub NailSalon TattooParlor
HomeAndConstructionBusiness: Electrician GeneralContractor HVACBusiness HousePainter Locksmith
  MovingCompany Plumber RoofingContractor
LegalService: Attorney Notary
LodgingBusiness: BedAndBreakfast Campground Hostel Hotel Motel Resort VacationRental
Resort: SkiResort
MedicalBusiness: CommunityHealth Dentist Dermatology DietNutrition Emergency Geriatric Gynecologic
  MedicalClinic Midwifery Nursing Obstetric Oncologic Optician Optometric Otolaryngologic Pediatric
  Pharmacy Physician Physiotherapy PlasticSurgery Podiatric PrimaryCare Psychiatric PublicHealth
MedicalClinic: CovidTestingFacility
Physician: IndividualPhysician PhysiciansOffice
SportsActivityLocation: BowlingAlley ExerciseGym GolfCourse HealthClub PublicSwimmingPool SkiResort
  SportsClub StadiumOrArena TennisComplex
Store: AutoPartsStore BikeStore BookStore ClothingStore ComputerStore ConvenienceStore
  DepartmentStore ElectronicsStore Florist FurnitureStore GardenStore GroceryStore HardwareStore
  HobbyShop HomeGoodsStore JewelryStore LiquorStore MensClothingStore MobilePhoneStore
  MovieRentalStore MusicStore OfficeEquipmentStore OutletStore PawnShop PetStore ShoeStore
  SportingGoodsStore TireShop ToyStore WholesaleStore
Product: DietarySupplement Drug IndividualProduct ProductModel SomeProducts Vehicle
Vehicle: BusOrCoach Car Motorcycle MotorizedBicycle
Event: BusinessEvent ChildrensEvent ComedyEvent CourseInstance DanceEvent DeliveryEvent
  EducationEvent ExhibitionEvent Festival FoodEvent Hackathon LiteraryEvent MusicEvent
  PublicationEvent SaleEvent ScreeningEvent SocialEvent SportsEvent TheaterEvent VisualArtsEvent
Article: AdvertiserContentArticle NewsArticle Report SatiricalArticle ScholarlyArticle
  SocialMediaPosting TechArticle
SocialMediaPosting: BlogPosting DiscussionForumPosting
"""


def _wider() -> dict[str, set[str]]:
    found, wide = defaultdict(set), ""
    for word in _NARROWER.split():
        if word.endswith(":"):
            wide = word[:-1]
        else:
            found[word].add(wide)
    return dict(found)


_WIDER: Final = _wider()


def is_of_type(type_name: str, wanted: str) -> bool:
    """Whether what is of one type is also of the other. Types may be URLs: schema.org/Product."""
    name = type_name.replace(":", "/").rpartition("/")[2]
    return name == wanted or any(is_of_type(wider, wanted) for wider in _WIDER.get(name, ()))
