import org.openapitools.client.ApiClient;
import org.openapitools.client.JSON;

/** What is different in clients with okhttp-gson. */
final class Library {
    private final ApiClient client = new ApiClient();

    Library(String url) {
        client.setBasePath(url);
    }

    ApiClient client() {
        return client;
    }

    void useToken(String token) {
        client.setBearerToken(token);
    }

    /** Reads the body of an error. */
    <T> T read(String body, Class<T> type) {
        return JSON.deserialize(body, type);
    }
}
