import { PaymentPolicy, paymentPolicyHead } from '#web/site/index.ts'

export const handle = { still: true }
export const meta = () => paymentPolicyHead
export default PaymentPolicy
