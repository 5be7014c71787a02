import { AxisChoice, FilterForm } from './filter-form.tsx'

/**
 * The section with the picture of all planets, its controls and the filters. The script of the page draws the picture.
 */
export function Picture() {
  return (
    <section class="explorer needs-script" aria-labelledby="picture-title">
      <div class="picture-part">
        <h2 id="picture-title" class="visually-hidden">
          All planets in one picture
        </h2>
        <div class="picture-controls">
          <AxisChoice name="y" label="Vertical axis" value="radius" />
          <AxisChoice name="x" label="Horizontal axis" value="period" />
          <ZoomButtons />
        </div>
        <div id="picture-state" />
        <div
          id="picture"
          class="picture"
          role="application"
          // The role makes screen readers pass keys to the picture.
          tabindex={0}
          aria-label="Picture of the planets"
          aria-describedby="picture-help"
        >
          <p id="no-match" hidden>
            No planet matches
          </p>
        </div>
        <output id="count" class="count">
          Loading the planets …
        </output>
        <p id="picture-help" class="hint">
          Arrow keys move from planet to planet, and Enter opens one. Zoom with the keys + and −, with Ctrl and the
          wheel, or with two fingers. Drag to move, or press Shift with an arrow key. Double-click or press 0 to see
          everything. <a href="#planets">The table below</a> has these planets too.
        </p>
        <p id="announcement" class="visually-hidden" aria-live="polite" />
      </div>
      <FilterForm />
    </section>
  )
}

function ZoomButtons() {
  return (
    <span class="zoom-buttons">
      <button type="button" class="secondary small" data-zoom="in">
        Zoom in
      </button>
      <button type="button" class="secondary small" data-zoom="out">
        Zoom out
      </button>
      <button type="button" class="secondary small" data-zoom="home">
        Show all
      </button>
    </span>
  )
}
