import { useEffect, useState } from 'hono/jsx/dom'
import { Failure } from '../lib/failure.tsx'
import { drawPlanet } from './draw-planet.ts'

interface PictureFieldProps {
  /** The name of the planet. */
  name: string
  /** Gets the picture; undefined as long as there is none. */
  keep: (file: File | undefined) => void
}

/** The picture to upload: one that the page draws, or a file of the person. */
export function PictureField({ name, keep }: PictureFieldProps) {
  const [isDrawn, setDrawn] = useState(true)
  return (
    <fieldset>
      <legend>Picture</legend>
      <Choice
        key="draw"
        id="picture-draw"
        label="Use a picture that this page draws"
        isChosen={isDrawn}
        choose={() => setDrawn(true)}
      />
      <Choice key="file" id="picture-choose" label="Choose a file" isChosen={!isDrawn} choose={() => setDrawn(false)} />
      {isDrawn ? <Drawing key="drawing" name={name} keep={keep} /> : <OwnFile key="own" keep={keep} />}
    </fieldset>
  )
}

interface ChoiceProps {
  id: string
  label: string
  isChosen: boolean
  choose: () => void
}

function Choice({ id, label, isChosen, choose }: ChoiceProps) {
  return (
    <div class="choice">
      <input type="radio" name="picture" id={id} checked={isChosen} onChange={choose} />
      <label for={id}>{label}</label>
    </div>
  )
}

function Drawing({ name, keep }: PictureFieldProps) {
  const [url, setUrl] = useState('')
  const [failure, setFailure] = useState<unknown>(undefined)
  useEffect(() => {
    let drawnUrl = ''
    let isOver = false
    const show = (file: File) => {
      if (isOver) return
      keep(file)
      drawnUrl = URL.createObjectURL(file)
      setUrl(drawnUrl)
    }
    drawPlanet(name).then(show, (error: unknown) => !isOver && setFailure(error))
    return () => {
      isOver = true
      keep(undefined)
      URL.revokeObjectURL(drawnUrl)
    }
  }, [name])
  if (failure !== undefined) return <Failure error={failure} />
  return <div class="drawing">{url && <img src={url} width="160" height="160" alt={`A drawing of ${name}`} />}</div>
}

function OwnFile({ keep }: Pick<PictureFieldProps, 'keep'>) {
  // A file that was chosen before the person returned to the drawing must not be sent.
  useEffect(() => () => keep(undefined), [])
  return (
    <div>
      <label for="picture-file">File</label>
      <input
        type="file"
        id="picture-file"
        required
        aria-describedby="picture-file-hint"
        onChange={({ target }: Event) => target instanceof HTMLInputElement && keep(target.files?.[0])}
      />
      <p class="hint" id="picture-file-hint">
        PNG, JPEG, GIF, WebP or AVIF, at most 5 MiB. Choose another kind of file to see how it is refused.
      </p>
    </div>
  )
}
