// `npm pack` runs this first.
import './stop.ts'
import { buildPackage } from './build-package.ts'

await buildPackage()
