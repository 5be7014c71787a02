import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import {
  BODY_CASES,
  CASES,
  type Case,
  codeOf,
  expected,
  judgeIn,
  receiveTwice,
  wholeBody,
} from '../../service/documented-receivers.ts'
import { describeLanguage, makeBuildFolder, run, serviceUrl } from '../journey.ts'

// Runs the receiver in docs/callbacks.md under "Java".

/** The headers of a case that the snippet for Java reads. */
const JAVA_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-signature']

/**
 * The cases as the program for Java reads them, because the JDK has no parser of JSON: a line each, with the secret,
 * the body, the clock and the headers, each in base64.
 */
function linesForJava(cases: readonly Case[]): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const fieldsOf = ({ secret, body, now, headers }: Case) => [
    ...[secret, body, String(now)],
    ...JAVA_HEADERS.map((name) => headers[name] ?? ''),
  ]
  return cases.map((each) => `${fieldsOf(each).map(base64).join('\t')}\n`).join('')
}

const JAVA_HARNESS = `
import static java.nio.charset.StandardCharsets.UTF_8;
import com.sun.net.httpserver.Headers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

class Judge {
    public static void main(String[] arguments) throws Exception {
        List<Boolean> verdicts = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("cases.txt"))) {
            List<String> fields = new ArrayList<>();
            for (String field : line.split("\t", -1)) fields.add(new String(Base64.getDecoder().decode(field), UTF_8));
            String[] names = {${JAVA_HEADERS.map((name) => JSON.stringify(name)).join(', ')}};
            Headers headers = new Headers();
            for (int index = 0; index < names.length; index++) headers.set(names[index], fields.get(3 + index));
            byte[] body = fields.get(1).getBytes(UTF_8);
            Instant now = Instant.ofEpochSecond(Long.parseLong(fields.get(2)));
            verdicts.add(arguments[0].equals("verify")
                    ? Receiver.verify(fields.get(0), headers, body, now)
                    : Receiver.verifyBody(fields.get(0), headers, body));
        }
        System.out.println(verdicts);
    }
}
`

describeLanguage('java', () => {
  let folder: string

  beforeAll(async () => {
    folder = await makeBuildFolder('java', 'receiver')
    await writeFile(join(folder, 'Receiver.java'), codeOf('Java', 'java'))
    await writeFile(join(folder, 'Judge.java'), JAVA_HARNESS)
    const options = ['-Xlint:all', '-Werror', '--release', '11', '-encoding', 'UTF-8', '-d', 'classes']
    await run(['javac', ...options, 'Receiver.java', 'Judge.java'], folder)
  })

  async function judge(cases: readonly Case[], how: string) {
    await writeFile(join(folder, 'cases.txt'), linesForJava(cases))
    return await judgeIn(folder, cases, 'java', '-cp', 'classes', 'Judge', how)
  }

  it('the receiver accepts valid messages, and refuses those that were changed, are old, or have no timestamp', async () => {
    expect(await judge(CASES, 'verify')).toEqual(expected(CASES))
  })

  it('the receiver accepts only the right x-signature', async () => {
    expect(await judge(BODY_CASES, 'verifyBody')).toEqual(expected(BODY_CASES))
  })

  it('the receiver takes a callback, and does nothing when it comes again', async () => {
    // In the encoding of the test, whatever the machine has.
    const options = ['-Dfile.encoding=UTF-8', '-Dstdout.encoding=UTF-8']
    await receiveTwice(serviceUrl(), 'Java', folder, ['java', ...options, 'Receiver.java'], wholeBody)
  })
})
