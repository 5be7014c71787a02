import { render } from 'hono/jsx/dom'
import { startOffer } from '../universe/offer.tsx'
import { WalkApp } from '../walk/app.tsx'

const element = document.querySelector<HTMLElement>('#walk')
if (element) render(<WalkApp />, element)
startOffer('/walk')
