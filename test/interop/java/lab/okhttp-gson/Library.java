import java.lang.reflect.Type;
import org.openapitools.client.ApiClient;
import org.openapitools.client.JSON;

/** What is different in clients with okhttp-gson. */
final class Library {
    private final ApiClient client = new ApiClient();

    Library(String url) {
        client.setBasePath(url);
    }

    Object api(String name) throws ReflectiveOperationException {
        return Class.forName("org.openapitools.client.api." + name).getConstructor(ApiClient.class).newInstance(client);
    }

    Object decode(String json, Type type) {
        return JSON.deserialize(json, type);
    }
}
