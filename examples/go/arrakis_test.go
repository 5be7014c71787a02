package galaxy

import "testing"

func TestArrakis(t *testing.T) {
	t.Parallel()
	u := newUniverse(t)
	expectName := func(t *testing.T, name string) {
		t.Helper()
		var planet struct{ Name string }
		u.call(t, "GET", "/planets/1", "", &planet)
		if planet.Name != name {
			t.Errorf("planet 1 is %s and not %s", planet.Name, name)
		}
	}
	u.test(t, "changes planet 1", func(t *testing.T) {
		u.call(t, "PUT", "/planets/1", `{"name":"Arrakis"}`, nil)
		expectName(t, "Arrakis")
	})
	u.test(t, "finds planet 1 as it was", func(t *testing.T) {
		expectName(t, "Mercury")
	})
}
