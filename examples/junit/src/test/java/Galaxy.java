import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Galaxy, which is started once for a run. If GALAXY_URL is set, the tests use the service at this address, and start none.
 *
 * <p>The command `galaxy` has to be installed in this folder or in one above it: `npm i -D ./galaxy-2.0.0.tgz`.
 */
class Galaxy implements AutoCloseable {
    /** The command ends when this process does, because its standard input then ends. */
    private static final List<String> COMMAND =
            List.of("npx", "--no-install", "galaxy", "--port", "0", "--json", "--memory", "--with-parent");

    private static final int END_TIMEOUT_SECONDS = 10;

    final String url;
    private final Process process;

    private Galaxy() throws IOException {
        String given = System.getenv().getOrDefault("GALAXY_URL", "");
        if (!given.isEmpty()) {
            url = given;
            process = null;
            return;
        }
        process = new ProcessBuilder(COMMAND).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String ready = new BufferedReader(new InputStreamReader(process.getInputStream())).readLine();
        if (ready == null) throw new IOException("Galaxy did not start. Is it installed? It has printed the reason.");
        url = JsonParser.parseString(ready).getAsJsonObject().get("url").getAsString();
    }

    /** The service of the run. JUnit closes it after the last test. */
    static Galaxy of(ExtensionContext context) {
        ExtensionContext.Store store = context.getRoot().getStore(ExtensionContext.Namespace.create(Galaxy.class));
        return store.getOrComputeIfAbsent("galaxy", key -> start(), Galaxy.class);
    }

    private static Galaxy start() {
        try {
            return new Galaxy();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    @Override
    public void close() throws Exception {
        if (process == null) return;
        process.getOutputStream().close();
        if (!process.waitFor(END_TIMEOUT_SECONDS, TimeUnit.SECONDS)) process.destroyForcibly();
    }
}
