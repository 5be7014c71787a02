import { WithCode } from '../../src/design/with-code.tsx'
import { anchorOf } from '../anchor.ts'
import { GROUPS, type Group, type Level } from '../case.ts'
import { escapeControls } from '../difference.ts'
import { catalogueEntryOf } from '../documents/catalogue.ts'
import type { Case } from '../suite/declare.ts'
import { GROUP_TITLES, SUITE } from '../suite/suite.ts'
import { shorten } from './parts.tsx'

const LEVELS: readonly Level[] = ['core', 'extended', 'open']

/** How many cases of each level, in words. */
function countLevels(cases: readonly Case[]): string {
  return LEVELS.map((level) => ({ level, count: cases.filter((spec) => spec.level === level).length }))
    .filter(({ count }) => count > 0)
    .map(({ level, count }) => `${count} ${level}`)
    .join(', ')
}

/** All cases, folded by groups. browser/lab/filter.ts filters them. */
export function CaseList({ cases }: { cases: readonly Case[] }) {
  return (
    <>
      <p>
        Suite {SUITE} has {cases.length} cases: {countLevels(cases)}. A case never changes its meaning. Other forms than
        the one that we would send pass too, if they are legal and mean the same value.
      </p>
      <noscript>
        <p>The filter needs JavaScript. Without it, open a group.</p>
      </noscript>
      <search id="case-filter" class="row" aria-label="Filter" hidden>
        <div>
          <label for="case-group">Group</label>
          <select id="case-group" autocomplete="off">
            <option value="">all</option>
            {GROUPS.map((group) => (
              <option>{group}</option>
            ))}
          </select>
        </div>
        <div>
          <label for="case-level">Level</label>
          <select id="case-level" autocomplete="off">
            <option value="">all</option>
            {LEVELS.map((level) => (
              <option>{level}</option>
            ))}
          </select>
        </div>
        <div>
          <label for="case-text">Text</label>
          <input id="case-text" type="search" autocomplete="off" />
        </div>
      </search>
      <p id="case-count" role="status" class="hint" />
      {GROUPS.map((group) => (
        <GroupOfCases group={group} cases={cases.filter((spec) => spec.group === group)} />
      ))}
    </>
  )
}

function GroupOfCases({ group, cases }: { group: Group; cases: readonly Case[] }) {
  return (
    <details class="lab-group" id={group} data-group={group}>
      <summary>
        <strong>{group}</strong>{' '}
        <span class="soft">
          {GROUP_TITLES[group]}. {cases.length}: {countLevels(cases)}
        </span>
      </summary>
      <ul>
        {cases.map((spec) => (
          <Row spec={spec} />
        ))}
      </ul>
    </details>
  )
}

function Row({ spec }: { spec: Case }) {
  const { id, level, title } = spec
  const { wire } = catalogueEntryOf(spec)
  return (
    <li id={anchorOf(id)} data-level={level}>
      <a href={`/lab/cases/${id}`}>{id}</a> <span class="soft">{level}</span>
      <br />
      <WithCode text={title} />
      {wire !== null && (
        <>
          : <code>{shorten(escapeControls(wire))}</code>
        </>
      )}
    </li>
  )
}
