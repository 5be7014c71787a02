import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Gives the tests of a class a universe. Resets it after each test, and ends it after the last one. */
class Universe implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    String url;
    String token;

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        url = Galaxy.of(context).url;
        JsonObject made = call("POST", "/universes", "{\"hours\":1}");
        url = made.get("url").getAsString();
        token = made.get("token").getAsString();
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        call("POST", "/universe/reset", "");
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        if (token != null) call("DELETE", "/universe", "");
    }

    /** Sends a request, and reads the response. */
    JsonObject call(String method, String path, String body) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .header("Content-Type", "application/json");
        if (token != null) request.header("Authorization", "Bearer " + token);
        HttpResponse<String> response = CLIENT.send(request.build(), BodyHandlers.ofString());
        if (response.statusCode() >= 300) throw new IOException(method + " " + path + ": " + response.body());
        return response.body().isEmpty() ? null : JsonParser.parseString(response.body()).getAsJsonObject();
    }
}
