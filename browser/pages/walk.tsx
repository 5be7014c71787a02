import { render } from 'hono/jsx/dom'
import { provideWebCrypto } from '../lib/web-crypto.ts'
import { startOffer } from '../universe/offer.tsx'
import { WalkApp } from '../walk/app.tsx'

provideWebCrypto()
const element = document.querySelector<HTMLElement>('#walk')
if (element) render(<WalkApp />, element)
startOffer('/walk')
