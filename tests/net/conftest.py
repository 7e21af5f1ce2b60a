"""Both clients, for the suite that they share."""

import ssl

import pytest
import trustme


@pytest.fixture(params=["wreq", "aiohttp"])
def client(request):
    """The name of the client that a fetcher is made with."""
    return request.param


@pytest.fixture
def authority(tmp_path_factory):
    """An authority of our own, the file that has it, and a site's certificate of it."""
    authority = trustme.CA()
    file = tmp_path_factory.mktemp("tls") / "ca.pem"
    authority.cert_pem.write_to_path(str(file))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1", "secure.example").configure_cert(context)
    return file, context
