import { render } from 'hono/jsx/dom'
import { WalkApp } from '../walk/app.tsx'

const element = document.querySelector<HTMLElement>('#walk')
if (element) render(<WalkApp />, element)
