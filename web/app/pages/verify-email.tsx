export const meta = () => [{ title: 'Confirm your e-mail – Cleartick' }]

export default function VerifyEmailPage() {
  return null
}
