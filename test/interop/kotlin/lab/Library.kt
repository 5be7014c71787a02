import java.lang.reflect.Type
import okhttp3.Call
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.Serializer

/** What is different in clients in Kotlin with jvm-okhttp4. */
class Library(private val url: String) {
    fun api(name: String): Any =
        Class.forName("org.openapitools.client.apis.$name")
            .getConstructor(String::class.java, Call.Factory::class.java)
            .newInstance(url, ApiClient.defaultClient)

    fun decode(json: String, type: Type): Any? = Serializer.moshi.adapter<Any?>(type).fromJson(json)
}
