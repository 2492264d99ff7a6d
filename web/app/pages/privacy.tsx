import { Privacy, privacyHead } from '#web/site/index.ts'

export const handle = { still: true }
export const meta = () => privacyHead
export default Privacy
