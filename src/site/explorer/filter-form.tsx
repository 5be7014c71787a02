import { FIGURE_NAMES, titleOf } from './axis-figures.ts'
import { KIND_NAMES, KINDS, METHODS } from './planets.ts'

// The fields have the names of the parameters of the URL (browser/explorer/url-state.ts).

/** The filters of the explorer. They need the script of the page, so they are not shown without scripts. */
export function FilterForm() {
  return (
    <form id="filters" class="filters" aria-labelledby="filters-title" autocomplete="off">
      <h2 id="filters-title">Filter</h2>
      <p class="hint">The picture and the table follow as you type.</p>
      <TextField name="q" label="Name" placeholder="Kepler-186" />
      <TextField name="host" label="Host star" placeholder="TRAPPIST-1" />
      <Types />
      <label for="method">Discovery method</label>
      <select id="method" name="method">
        <option value="">Any method</option>
        {Object.entries(METHODS).map(([tag, label]) => (
          <option value={tag}>{label}</option>
        ))}
      </select>
      <Years />
      <label for="habitable">Habitability at least</label>
      <span class="slider">
        <input id="habitable" name="habitable" type="range" min="0" max="1" step="0.05" value="0" />
        <output id="habitable-value" for="habitable">
          any
        </output>
      </span>
      <div class="row">
        <button type="submit" class="secondary small">
          Go to the table
        </button>
        <button type="reset" class="secondary small">
          Reset filters
        </button>
      </div>
    </form>
  )
}

function TextField({ name, label, placeholder }: { name: string; label: string; placeholder: string }) {
  return (
    <>
      <label for={name}>{label}</label>
      <input id={name} name={name} type="search" placeholder={placeholder} maxlength={100} spellcheck={false} />
    </>
  )
}

/** The filter by type. It is also the legend of the picture. */
function Types() {
  return (
    <fieldset class="types">
      <legend>Type (none chosen: any)</legend>
      {KIND_NAMES.map((kind) => (
        <label>
          <input type="checkbox" name="type" value={kind} />
          <span class={`swatch swatch-${kind}`} />
          {KINDS[kind]}
        </label>
      ))}
    </fieldset>
  )
}

function Years() {
  return (
    <fieldset class="years">
      <legend>Discovered</legend>
      <label for="from">from</label>
      <input id="from" name="from" type="number" min="1700" max="2100" placeholder="1781" />
      <label for="to">to</label>
      <input id="to" name="to" type="number" min="1700" max="2100" placeholder="2026" />
    </fieldset>
  )
}

/** The choice of the figure of an axis. It belongs to the form of the filters, but stands above the picture. */
export function AxisChoice({ name, label, value }: { name: 'x' | 'y'; label: string; value: string }) {
  return (
    <label class="axis-choice">
      {label}
      <select name={name} form="filters">
        {FIGURE_NAMES.map((figure) => (
          <option value={figure} selected={figure === value}>
            {titleOf(figure)}
          </option>
        ))}
      </select>
    </label>
  )
}
