"""Pages that take 200 ms, 200 at once: the ideal is 1,000 a second."""

from bench.figures import Figure
from bench.parts.fetch import contenders
from bench.setting import Setting, in_turns

AT_ONCE = 200


def measure(setting: Setting) -> list[Figure]:
    count = setting.pick(1_000, 5_000)
    few = setting.pick(400, 1_200, count)
    urls = f"{setting.site}/slow/"
    return in_turns(setting, contenders(setting, "pages of 200 ms", urls, AT_ONCE, count, few))
