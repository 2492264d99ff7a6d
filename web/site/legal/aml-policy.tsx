import { figure } from '#web/ui/index.ts'
import type { LegalSection } from '../legal-page.tsx'
import { SupportMail } from '../parts/facts.tsx'

/** Anti-money laundering and know your customer. */
export const AML_POLICY: readonly LegalSection[] = [
  {
    id: 'purpose',
    title: 'What this policy is for',
    body: (
      <p>
        Money laundering hides where the proceeds of a crime come from; terrorist financing hides where money goes. We
        take no part in either. This policy (AML, anti-money laundering, and KYC, know your client) sets out what we
        check, what we ask of you, and what happens if something doesn't match.
      </p>
    ),
  },
  {
    id: 'principles',
    title: 'Principles',
    body: (
      <ul>
        <li>One account per individual. No anonymous accounts, and none under an assumed name.</li>
        <li>Money comes from the client and goes back to the same client, by the same method.</li>
        <li>No withdrawal before the identity is approved and the e-mail address confirmed.</li>
        <li>We don't accept or pay out cash.</li>
        <li>The demo account needs none of this, because no money moves in it.</li>
      </ul>
    ),
  },
  {
    id: 'who-you-are',
    title: 'How we verify your identity',
    body: (
      <>
        <p>
          After registration we ask for your name, date of birth, address, country and phone, and for one of these
          documents:
        </p>
        <ul>
          <li>driver's license;</li>
          <li>international passport;</li>
          <li>national ID;</li>
          <li>another official document with a photograph.</li>
        </ul>
        <p>
          Upload it as one image of at most 5 MB, under Profile → KYC verification or at the end of registration. A
          check is Pending, Approved or Rejected; a rejection states its reason, and you may then upload another
          document. The check takes up to {figure('identificationBusinessDays')} business days, in some cases up to{' '}
          {figure('identificationBusinessDaysAtMost')}. For the document rules, see the{' '}
          <a href="/payment-policy#identity-document">Payment Policy</a>.
        </p>
      </>
    ),
  },
  {
    id: 'closer-look',
    title: 'When we check more closely',
    body: (
      <>
        <p>We may ask for more, such as a proof of address or of where money comes from:</p>
        <ul>
          <li>if amounts are high, or don't match what we know about you;</li>
          <li>if details contradict each other, or changed shortly before a withdrawal.</li>
        </ul>
      </>
    ),
  },
  {
    id: 'monitoring',
    title: 'What we monitor',
    body: (
      <>
        <p>An operator reviews each coin deposit and each withdrawal. Among other things, the desk sees:</p>
        <ul>
          <li>a receipt, wallet or bank account that was used before;</li>
          <li>a withdrawal by a different method than the deposit;</li>
          <li>a possible second account of the same client.</li>
        </ul>
        <p>
          Above a threshold, $1,000 unless we have set another, two different people must approve. No one decides their
          own item.
        </p>
      </>
    ),
  },
  {
    id: 'consequences',
    title: "What happens if something doesn't match",
    body: (
      <p>
        We ask you. Until the matter is resolved, we may lock deposits, trading or withdrawals on the account, reject a
        payment, or end the agreement. Where required by law, we report to the authorities, and we may not be allowed to
        inform you. Money is returned the way it came, unless an authority forbids it.
      </p>
    ),
  },
  {
    id: 'records',
    title: 'What we keep',
    body: (
      <p>
        We keep documents, payments and decisions for as long as the law requires. Documents are encrypted. Every
        decision, and every view of a document, is logged with operator, time and reason in a log that reveals changed
        or missing entries. For more, see the <a href="/privacy">Privacy Policy</a>.
      </p>
    ),
  },
  {
    id: 'your-part',
    title: 'What we ask of you',
    body: (
      <ul>
        <li>
          Give true details, and notify us within {figure('privacyChangeDays')} days when one that identifies you
          changes.
        </li>
        <li>Pay from accounts, cards and wallets that are yours.</li>
        <li>Answer questions about a payment, and keep its records.</li>
        <li>
          Notify us immediately if someone asks you to deposit or withdraw for them: <SupportMail />.
        </li>
      </ul>
    ),
  },
  {
    id: 'responsibility',
    title: 'Who is responsible',
    body: (
      <p>
        At our desk, the compliance role handles identity checks and the finance role handles payments. Support never
        moves money.
      </p>
    ),
  },
]
