import { FinancialInstruments, financialInstrumentsHead } from '#web/site/index.ts'

export const handle = { still: true }
export const meta = () => financialInstrumentsHead
export default FinancialInstruments
