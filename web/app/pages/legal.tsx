import { Legal, legalHead } from '#web/site/index.ts'

export const handle = { still: true }
export const meta = () => legalHead
export default Legal
