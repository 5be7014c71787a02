/** What the words of the laboratory mean. */
export function Terms() {
  return (
    <ul class="lab-words">
      <li>
        <b>Case</b>: one operation with one value to send. Its id is a group and a name, <code>query/form-array</code>,
        and its operationId the same in camel case.
      </li>
      <li>
        <b>Value</b>: what JSON has no type for is tagged: <code>{'{"$int64": "…"}'}</code>,{' '}
        <code>{'{"$date": "…"}'}</code>, <code>{'{"$dateTime": "…"}'}</code>, <code>{'{"$bytes": "base64"}'}</code> and{' '}
        <code>{'{"$file": {"name", "type", "bytes"}}'}</code>.
      </li>
      <li>
        <b>Bench</b>: a base URL for a client. <code>/lab/try</code> judges and keeps nothing, a run judges and records.
        The paths of the cases and the documents are below it.
      </li>
      <li>
        <b>Verdict</b>: the answer is 200 whatever it is, so that no client throws. <code>pass</code>: what arrived is
        legal and means the value. <code>non-strict</code>: it means the value only because servers are tolerant; it
        counts as passed. <code>fail</code>: another value arrived, or none. <code>info</code>: no verdict, because the
        specification leaves the case open, or because the client left undone what it may leave undone, such as a retry.{' '}
        <code>incomplete</code>: begun and not finished.
      </li>
      <li>
        <b>Difference</b>: <code>received</code> is the part of the request that was judged, as it came,{' '}
        <code>expected</code> the form that we would send, and <code>at</code> the byte of <code>received</code> where
        they part, counted from 0. Each byte of a credential of this service is <code>*</code>.
      </li>
      <li>
        <b>Level</b>: <code>core</code> is specified, and in daily use; <code>extended</code> is specified, and rare;{' '}
        <code>open</code> is left to implementations, so it is described and never judged.
      </li>
      <li>
        <b>Run</b>: what one client sent. Its id is a secret: whoever knows it can record and read. The last request of
        a case counts. <code>expect</code> lists cases that are known to fail, <code>skip</code> those that do not
        count, each with a reason. A run ends 7 days after its last record.
      </li>
      <li>
        <b>Gate</b>: 200 or 422, for <code>curl --fail-with-body</code> in CI. It fails on cases that failed, were not
        finished or were never called, and on a case in <code>expect</code> that passes, so that the list shrinks.
      </li>
    </ul>
  )
}
