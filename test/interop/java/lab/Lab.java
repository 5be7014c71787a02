import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.math.BigInteger;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.*;

/** Calls every case of the laboratory with a client that openapi-generator has made for Java or Kotlin. */
public final class Lab {
    /** The members of a report, where PUT does not have the schema of the response. */
    private static final Map<String, List<String>> REPORTS = Map.of(
            "response/no-content", List.of("status"),
            "response/two-successes", List.of("status", "item"),
            "response/problem", List.of("status", "title"),
            "response/default", List.of("status", "code"),
            "response/range", List.of("status", "code"),
            "response/headers", List.of("colors", "count", "since"),
            "response/read-only", List.of("id", "name"),
            "response/write-only", List.of("name"));

    /** Clients send the name of a file too, and some only this. So it is the same in each run. */
    private static final Path FILES = Path.of("/tmp/galaxy-lab");

    private static final Gson GSON = new Gson();
    private static final String URL = System.getenv("LAB_URL");
    private static final Library LIBRARY = new Library(URL);
    private static final Map<String, Object> APIS = new HashMap<>();

    public static void main(String[] none) throws IOException {
        var skip = Set.of(System.getenv().getOrDefault("LAB_SKIP", "").split(","));
        var catalogue = URI.create(URL + "/../../cases").normalize().toURL().openStream();
        var json = JsonParser.parseReader(new InputStreamReader(catalogue, StandardCharsets.UTF_8)).getAsJsonObject();
        for (var each : json.getAsJsonArray("cases")) {
            String id = each.getAsJsonObject().get("id").getAsString();
            if (skip.contains(id) || skip.contains(groupOf(id) + "/*")) continue;
            try {
                call(id, each.getAsJsonObject());
            } catch (Exception exception) {
                var thrown = exception instanceof InvocationTargetException ? exception.getCause() : exception;
                var line = new JsonObject();
                line.addProperty("case", id);
                line.addProperty("error", thrown.toString().lines().findFirst().orElseThrow());
                System.out.println(line);
            }
        }
        // The threads of the HTTP client would keep the program running.
        System.exit(0);
    }

    private static void call(String id, JsonObject labCase) throws Exception {
        String operationId = labCase.get("operationId").getAsString();
        var operation = find(id, operationId);
        if (operation.isEmpty()) return;
        var first = find(id, operationId + "First");
        if (first.isPresent()) first.get().invoke(apiOf(id));
        Object answer;
        try {
            var input = labCase.getAsJsonObject("input");
            // The user of these clients encodes such bytes.
            if (id.equals("body/base64url")) input = withUrlAlphabet(input);
            answer = operation.get().invoke(apiOf(id), arguments(operation.get(), input));
        } catch (InvocationTargetException thrown) {
            // Clients in Java throw the answer if its status is no success.
            answer = thrown.getCause();
            boolean isAnswer = answer.getClass().getSimpleName().equals("ApiException") && !get(answer, "Code").equals(0);
            if (!REPORTS.containsKey(id) || !isAnswer) throw thrown;
        }
        var put = find(id, operationId + "Report");
        if (put.isEmpty()) return;
        Object decoded = REPORTS.containsKey(id)
                ? decode(report(id, answer), put.get().getGenericParameterTypes()[0])
                : get(answer, "Data");
        if (decoded instanceof File) decoded = file("download", Files.readAllBytes(((File) decoded).toPath()));
        put.get().invoke(apiOf(id), decoded);
    }

    private static JsonObject withUrlAlphabet(JsonObject input) {
        var bytes = input.getAsJsonObject("body").getAsJsonObject("value").getAsJsonObject("bytes");
        var decoded = Base64.getDecoder().decode(bytes.get("$bytes").getAsString());
        bytes.addProperty("$bytes", Base64.getUrlEncoder().encodeToString(decoded));
        return input;
    }

    private static JsonObject report(String id, Object answer) throws ReflectiveOperationException {
        var report = new JsonObject();
        for (String name : REPORTS.get(id)) {
            if (name.equals("status")) report.add(name, GSON.toJsonTree(get(answer, "StatusCode", "Code")));
            else if (id.equals("response/headers")) report.add(name, header(name, (Map<?, ?>) get(answer, "Headers")));
            else report.add(name, member(name, get(answer, "Data", "Body", "ResponseBody")));
        }
        return report;
    }

    private static JsonElement header(String name, Map<?, ?> headers) {
        String text = String.join(",", GSON.fromJson(GSON.toJson(headers.get("x-" + name)), String[].class));
        if (name.equals("colors")) return GSON.toJsonTree(text.split(" *, *"));
        return name.equals("count") ? new JsonPrimitive(Integer.valueOf(text)) : new JsonPrimitive(text);
    }

    /** A member of what was decoded, or of the text of an error. */
    private static JsonElement member(String name, Object body) throws ReflectiveOperationException {
        if (body instanceof String) return JsonParser.parseString((String) body).getAsJsonObject().get(name);
        return GSON.toJsonTree(get(body, name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1)));
    }

    /** What the first of these getters returns that an object has. */
    private static Object get(Object object, String... names) throws ReflectiveOperationException {
        for (String name : names) {
            for (Method method : object.getClass().getMethods()) {
                if (method.getName().equals("get" + name)) return method.invoke(object);
            }
        }
        throw new NoSuchMethodException(object.getClass().getSimpleName() + " has no " + names[0]);
    }

    private static String groupOf(String id) {
        return id.substring(0, id.indexOf('/'));
    }

    /** The object with the operations of a group. Some clients keep connections for as long as it lives. */
    private static Object apiOf(String id) throws ReflectiveOperationException {
        String group = groupOf(id);
        String name = group.substring(0, 1).toUpperCase(Locale.ROOT) + group.substring(1) + "Api";
        if (!APIS.containsKey(name)) APIS.put(name, LIBRARY.api(name));
        return APIS.get(name);
    }

    /** The method of an operation that takes nothing beside its parameters. */
    private static Optional<Method> find(String id, String operationId) throws ReflectiveOperationException {
        return Arrays.stream(apiOf(id).getClass().getMethods())
                .filter(method -> plain(method.getName()).equals(plain(operationId + "WithHttpInfo")))
                .min(Comparator.comparing(Method::getParameterCount));
    }

    private static Object[] arguments(Method method, JsonObject input) throws Exception {
        var values = new ArrayList<Map.Entry<String, JsonElement>>();
        for (var place : input.getAsJsonObject("parameters").entrySet()) {
            values.addAll(place.getValue().getAsJsonObject().entrySet());
        }
        if (input.has("body")) {
            JsonElement value = input.getAsJsonObject("body").get("value");
            // The members of a form are parameters.
            if (input.toString().matches(".*\"mediaType\":\"(multipart/|[^\"]*form-urlencoded).*")) {
                values.addAll(value.getAsJsonObject().entrySet());
            } else {
                values.add(Map.entry("", value));
            }
        }
        var arguments = new ArrayList<Object>();
        for (Parameter parameter : method.getParameters()) {
            var value = values.stream().filter(each -> isNamed(parameter.getName(), each.getKey())).findFirst();
            value.ifPresent(values::remove);
            arguments.add(value.isPresent() ? decode(value.get().getValue(), parameter.getParameterizedType()) : null);
        }
        if (!values.isEmpty()) throw new NoSuchMethodException(method.getName() + " has no " + values);
        return arguments.toArray();
    }

    /** Some names have a digit after them, or a word before them. A body is named as its type. */
    private static boolean isNamed(String parameter, String name) {
        String own = plain(parameter);
        String changed = own.replaceFirst("^(property|dollar)", "").replaceFirst("[0-9]$", "");
        return name.isEmpty() || own.equals(plain(name)) || changed.equals(plain(name));
    }

    private static String plain(String name) {
        return name.replaceAll("[^\\p{L}\\p{N}]", "").toLowerCase(Locale.ROOT);
    }

    /** Makes the value of a parameter from a value of the catalogue. */
    private static Object decode(JsonElement input, Type type) throws Exception {
        if (input.toString().startsWith("{\"$file\"")) return file(input.getAsJsonObject().getAsJsonObject("$file"));
        if (input.toString().startsWith("[{\"$file\"")) {
            var files = new ArrayList<Object>();
            for (var item : input.getAsJsonArray()) files.add(decode(item, File.class));
            return files;
        }
        JsonElement value = untag(input);
        if (type == File.class) return file("bytes", Base64.getDecoder().decode(value.getAsString()));
        return LIBRARY.decode(value.toString(), type);
    }

    private static File file(JsonObject file) throws IOException {
        return file(file.get("name").getAsString(), Base64.getDecoder().decode(file.get("bytes").getAsString()));
    }

    private static File file(String name, byte[] bytes) throws IOException {
        Path written = Files.createTempFile(Files.createDirectories(FILES), "", "");
        Files.write(written, bytes);
        return Files.move(written, FILES.resolve(name), StandardCopyOption.ATOMIC_MOVE).toFile();
    }

    /** JSON of the API for a value of the catalogue. */
    private static JsonElement untag(JsonElement input) {
        if (input.isJsonArray()) {
            var items = new JsonArray();
            for (var item : input.getAsJsonArray()) items.add(untag(item));
            return items;
        }
        if (!input.isJsonObject()) return input;
        var members = new JsonObject();
        for (var member : input.getAsJsonObject().entrySet()) {
            var value = member.getValue();
            if (member.getKey().equals("$int64")) return new JsonPrimitive(new BigInteger(value.getAsString()));
            if (member.getKey().matches("\\$(date|dateTime|bytes)")) return value;
            members.add(member.getKey(), untag(value));
        }
        return members;
    }
}
