import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ArrakisTest {
    @RegisterExtension
    static final Universe universe = new Universe();

    @Test
    void changesPlanet1() throws Exception {
        universe.call("PUT", "/planets/1", "{\"name\":\"Arrakis\"}");
        assertEquals("Arrakis", universe.call("GET", "/planets/1", "").get("name").getAsString());
    }

    @Test
    void findsPlanet1AsItWas() throws Exception {
        assertEquals("Mercury", universe.call("GET", "/planets/1", "").get("name").getAsString());
    }
}
