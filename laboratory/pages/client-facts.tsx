import { GROUPS } from '../case.ts'
import type { ClientView, Count } from '../scoreboard/view.ts'
import { Score } from './score.tsx'

/** What is said about a client first: how many cases passed, what it is, and how to repeat its run. */
export function Facts({ client }: { client: ClientView }) {
  const { name, tool, version, language, document, command, driver, date, suite, levels } = client
  const { core, extended } = levels
  return (
    <>
      <p class="lead">
        {core.passed} of {core.cases} core cases passed, and {extended.passed} of {extended.cases} extended ones.
      </p>
      <Scores client={client} />
      <dl class="terms">
        <div>
          <dt>Client</dt>
          <dd>
            {tool} {version} ({language}), from <code>{document}</code>
          </dd>
        </div>
        <div>
          <dt>Settings</dt>
          <dd>
            {command === undefined ? (
              'It reads the document when it is used.'
            ) : (
              <>
                <code>{command}</code>, where <code>client</code> is the folder that it writes.
              </>
            )}{' '}
            All of them are in <code>{driver}/columns.ts</code>.
          </dd>
        </div>
        <div>
          <dt>Driver</dt>
          <dd>
            <code>{driver}</code> in the project
          </dd>
        </div>
        <div>
          <dt>Run</dt>
          <dd>
            {date}, suite {suite}. To repeat it: <code>npm run scoreboard -- {name}</code>
          </dd>
        </div>
      </dl>
    </>
  )
}

function Scores({ client: { levels, groups } }: { client: ClientView }) {
  const rows: readonly (readonly [string, Count])[] = [
    ...Object.entries(levels),
    ...GROUPS.map((group) => [group, groups[group]] as const),
  ]
  return (
    <ul class="client-scores" aria-label="Cases that passed">
      {rows.map(([name, count]) => (
        <li>
          <span>{name}</span> <Score count={count} />
        </li>
      ))}
    </ul>
  )
}
