import { AmlPolicy, amlPolicyHead } from '#web/site/index.ts'

export const handle = { still: true }
export const meta = () => amlPolicyHead
export default AmlPolicy
