/**
 * The section for planets that are created while the page is open. The script of the page fills it.
 *
 * @param hasPicture Whether the page has a picture and a table of planets
 */
export function NewPlanets({ hasPicture }: { hasPicture: boolean }) {
  return (
    <section class="new-planets needs-script" aria-labelledby="new-planets-title">
      <h2 id="new-planets-title">New planets</h2>
      <p>
        Planets that anybody creates while this page is open appear here
        {hasPicture && ', in the picture and in the table'}. After a reload, the picture has only the catalogue.
        Programs can receive them too: read about <a href="/docs/events">live events</a>.
      </p>
      <div id="live" class="live" />
    </section>
  )
}
