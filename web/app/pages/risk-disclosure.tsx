import { RiskDisclosure, riskDisclosureHead } from '#web/site/index.ts'

export const handle = { still: true }
export const meta = () => riskDisclosureHead
export default RiskDisclosure
