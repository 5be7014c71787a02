import java.io.IOException;
import org.openapitools.client.ApiClient;

/** What is different in clients with native, which uses the HttpClient of the JDK. */
final class Library {
    private final ApiClient client = new ApiClient();

    Library(String url) {
        client.updateBaseUri(url);
    }

    ApiClient client() {
        return client;
    }

    void useToken(String token) {
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
    }

    /** Reads the body of an error. */
    <T> T read(String body, Class<T> type) throws IOException {
        return client.getObjectMapper().readValue(body, type);
    }
}
