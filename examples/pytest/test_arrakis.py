def test_changes_planet_1(universe):
    universe.call("PUT", "/planets/1", {"name": "Arrakis"})
    assert universe.call("GET", "/planets/1")["name"] == "Arrakis"


def test_finds_planet_1_as_it_was(universe):
    assert universe.call("GET", "/planets/1")["name"] == "Mercury"
