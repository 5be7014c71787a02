import type { BenchData } from '../../laboratory/bench/data.ts'
import type { BenchRequest } from '../../laboratory/bench/request.ts'
import { findSentPart } from '../../laboratory/bench/sent-part.ts'
import { compareSides } from '../../laboratory/difference.ts'
import { nameSection, RULE_LEADS, type Rule, ruleOfPart } from '../../laboratory/rule.ts'
import { splitCode } from '../../src/lib/code-in-text.ts'
import type { BenchAnswer } from './send.ts'
import { Sides } from './sides.tsx'

// What stands in the region "Verdict".

/** A verdict, as laboratory/pages/bench.tsx shows the first one. */
export function Verdict({ answer, request, data }: { answer: BenchAnswer; request: BenchRequest; data: BenchData }) {
  const { verdict, reason, received, encoding, at } = answer
  const part = findSentPart(data.judged, request, answer)
  const sides = compareSides(data.judged, { part, received, encoding, at })
  return (
    <>
      <p class={`bench-word ${verdict}`}>{verdict}</p>
      {reason !== null && (
        <p>
          <WithCode text={reason} />
        </p>
      )}
      {sides && <Sides sides={sides} />}
      <p class="hint">
        <Decision rule={ruleOfPart(data.rules, part)} />
      </p>
    </>
  )
}

/** What decides it, as laboratory/pages/parts.tsx shows it. */
function Decision({ rule: { url, text, kind } }: { rule: Rule }) {
  const words = <WithCode text={text} />
  return (
    <>
      <a href={url}>{nameSection(url)}</a>: {RULE_LEADS[kind]}
      {kind === 'quote' ? <q>{words}</q> : words}
    </>
  )
}

/** As src/design/with-code.tsx shows it. */
function WithCode({ text }: { text: string }) {
  return <>{splitCode(text).map(({ isCode, text }, index) => (isCode ? <code key={index}>{text}</code> : text))}</>
}

export function Unsent() {
  return <p class="hint">Not sent yet. The verdict stands here.</p>
}

/** @param seconds Since the request was sent */
export function Waiting({ seconds }: { seconds: number }) {
  return (
    <p>{seconds === 0 ? 'Sent. Waiting for the verdict …' : `No answer yet, after ${seconds} seconds. Waiting …`}</p>
  )
}

/** There is no verdict. */
export function Failure({ message, advice }: { message: string; advice: string }) {
  return (
    <>
      <p class="bench-word missing">no verdict</p>
      <p>
        {message} {advice}
      </p>
    </>
  )
}
