import java.io.IOException;
import java.lang.reflect.Type;
import org.openapitools.client.ApiClient;

/** What is different in clients with native, which uses the HttpClient of the JDK. */
final class Library {
    private final ApiClient client = new ApiClient();

    Library(String url) {
        client.updateBaseUri(url);
    }

    Object api(String name) throws ReflectiveOperationException {
        return Class.forName("org.openapitools.client.api." + name).getConstructor(ApiClient.class).newInstance(client);
    }

    Object decode(String json, Type type) throws IOException {
        var mapper = client.getObjectMapper();
        return mapper.readValue(json, mapper.constructType(type));
    }
}
