import { describeColumns } from '../lab/describe-columns.ts'
import { COLUMNS } from './lab/columns.ts'

describeColumns(COLUMNS)
