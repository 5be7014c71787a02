import { Code, Tabs } from '../../src/design/tabs.tsx'
import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'
import { codeBelow } from './guide.ts'

const RUN = `BASE=${EXAMPLE_ORIGIN}
RUN=$(curl -s $BASE/lab/runs -H 'Content-Type: application/json' \\
  -d '{"tool": "my-client", "version": "1.0"}' | sed 's/.*"url":"\\([^"]*\\)".*/\\1/')
LAB_URL=$RUN node driver.mjs
echo $RUN/report
curl --fail-with-body $RUN/gate`

/** How a client is judged, in three ways. @throws Error as `codeBelow` */
export function JudgeYourClient({ guide }: { guide: string }) {
  const command = `npm install --save-dev ./galaxy-2.0.0.tgz
npx --no-install galaxy lab --tool my-client -- node driver.mjs`
  const step = `echo '{"tool": "my-client", "version": "1.0"}' > known.json
${codeBelow(guide, '## Runs', 'bash').replace('http://localhost:8787', EXAMPLE_ORIGIN)}`
  const ways = [
    {
      id: 'run',
      label: 'A run on this server',
      text: 'A run records what your client sends. Its report shows each difference, and its gate says whether it passes.',
      code: RUN,
    },
    {
      id: 'command',
      label: 'galaxy lab',
      text: 'With the package of the project, one command starts a service, makes the run and asks the gate.',
      code: command,
    },
    {
      id: 'ci',
      label: 'A step of CI',
      text: 'What is known to fail is in known.json, each with a reason. The step fails with the gate.',
      code: step,
    },
  ]
  const tabs = ways.map(({ id, label, text, code }) => ({
    id,
    label,
    content: (
      <>
        <p>{text}</p>
        <Code label={`Commands: ${label}`} code={code} />
      </>
    ),
  }))
  return (
    <>
      <Tabs name="lab-way" label="How a client is judged" level="h3" tabs={tabs} />
      <p>
        A driver calls each case with your client: here for swagger-client, openapi-python-client and oapi-codegen. No
        case is written by hand in it.
      </p>
      <Drivers guide={guide} />
      <p>
        What real clients send is on the <a href="/lab/scoreboard">scoreboard</a>. A <a href="/guides/lab">guide</a>{' '}
        explains runs, the gate and the rules of the judge, and the <a href="/docs">API reference</a> each operation.
        The cases are at <a href="/lab/cases">/lab/cases</a>, and in OpenAPI at{' '}
        <a href="/lab/openapi.json">/lab/openapi.json</a>, <a href="/lab/openapi.yaml">.yaml</a>,{' '}
        <a href="/lab/openapi-3.0.json">/lab/openapi-3.0.json</a> and{' '}
        <a href="/lab/openapi-3.2.json">/lab/openapi-3.2.json</a>; a generator that stops at a case takes the others
        with <code>?without=query/deep-nested</code>.
      </p>
    </>
  )
}

function Drivers({ guide }: { guide: string }) {
  const drivers = [
    {
      language: 'JavaScript',
      setup: 'npm install swagger-client',
      file: 'driver.mjs',
      code: codeBelow(guide, '### A driver in ten lines', 'js'),
    },
    {
      language: 'Python',
      setup: codeBelow(guide, '## A driver in Python', 'sh'),
      file: 'driver.py',
      code: codeBelow(guide, '## A driver in Python', 'python'),
    },
    {
      language: 'Go',
      setup: codeBelow(guide, '## A driver in Go', 'sh'),
      file: 'driver.go',
      code: codeBelow(guide, '## A driver in Go', 'go'),
    },
  ]
  return (
    <>
      {drivers.map(({ language, setup, file, code }) => (
        <details class="lab-driver">
          <summary>Driver in {language}</summary>
          <Code label={`Commands for the driver in ${language}`} code={setup} />
          <p>
            <code>{file}</code>:
          </p>
          <Code label={`Driver in ${language}`} code={code} />
        </details>
      ))}
    </>
  )
}
