import { figure } from '#web/ui/index.ts'
import type { LegalSection } from '../legal-page.tsx'
import { SupportMail, SupportPhone } from '../parts/facts.tsx'

/** What data is stored about whom, why and for how long: what the server really does, and what we promise. */
export const PRIVACY: readonly LegalSection[] = [
  {
    id: 'who-we-are',
    title: 'Who is responsible',
    body: (
      <p>
        The operator of {figure('brand')} decides what is done with the data described here. Questions and requests go
        to <SupportMail /> or <SupportPhone />.
      </p>
    ),
  },
  {
    id: 'what-we-collect',
    title: 'What we collect',
    body: (
      <dl>
        <dt>Your account</dt>
        <dd>
          First and last name, e-mail address, phone, gender, date of birth, address, city, state, country, your picture
          if you add one, and the referral code that you came by. The password is kept only as a hash that cannot be
          turned back.
        </dd>
        <dt>Your identity</dt>
        <dd>
          The picture of your identity document, its kind, and the result of the check. The picture is drawn anew
          without the position and device that a camera writes into it, then encrypted.
        </dd>
        <dt>Your money and trades</dt>
        <dd>
          Deposits with their receipts, withdrawals with wallet or bank details, plans, trades, and every movement of
          your balances. Bank numbers are encrypted and shown only by their last digits.
        </dd>
        <dt>Your sign-ins</dt>
        <dd>The network address, the kind of browser and device, and the time of each sign-in.</dd>
        <dt>What you write to us</dt>
        <dd>Contact messages, live chats and e-mails, with the name and address that you give.</dd>
      </dl>
    ),
  },
  {
    id: 'why',
    title: 'What we use it for',
    body: (
      <ul>
        <li>To keep your account, decide your trades and pay you: that is our agreement with you.</li>
        <li>To know who our clients are, and to prevent fraud and money laundering: the law asks for that.</li>
        <li>To protect accounts, find faults and answer questions: that is in your interest and ours.</li>
        <li>To tell you about offers, only until you object.</li>
      </ul>
    ),
  },
  {
    id: 'advertising',
    title: 'Advertising, and how to stop it',
    body: (
      <p>
        You may object to advertising at any time by writing to <SupportMail /> from the address that you registered
        with. We honour it within {figure('advertisingOptOutBusinessDays')} business days. Notices about your money,
        your identity check and the safety of your account are not advertising and keep coming.
      </p>
    ),
  },
  {
    id: 'your-changes',
    title: 'When your details change',
    body: (
      <p>
        Tell us within {figure('privacyChangeDays')} days when a detail that identifies you changes: your name, address,
        country, phone or identity document. Most of them you can change under Profile; for the rest write to{' '}
        <SupportMail />. After a change we may ask for a document that shows it.
      </p>
    ),
  },
  {
    id: 'who-receives-it',
    title: 'Who else receives it',
    body: (
      <>
        <p>We sell no data. Others receive what they need for one of these tasks, and no more:</p>
        <ul>
          <li>the payment provider, for deposits by card: the card number goes to it directly and never to us;</li>
          <li>banks and networks, to carry out a withdrawal; a transfer of coins is public on its network;</li>
          <li>those who host our servers and carry our e-mail;</li>
          <li>authorities and courts, where the law obliges us.</li>
        </ul>
        <p>
          Charts and widgets of third parties are loaded from their servers, which then see your network address. Unless
          the operator has decided otherwise that happens only after you have asked for one by its button. They may set
          cookies of their own, on their own terms.
        </p>
      </>
    ),
  },
  {
    id: 'cookies',
    title: 'Cookies and what your browser keeps',
    body: (
      <>
        <p>
          There are no advertising or tracking cookies and no statistics scripts. What is stored serves the product:
        </p>
        <ul>
          <li>
            one cookie that keeps you signed in: until the browser is closed or 12 hours have passed, or for 30 days if
            you tick 'Remember me'. Scripts cannot read it;
          </li>
          <li>
            in the browser's storage: your sign-in, live or demo mode, light or dark, and your choices for the chart;
          </li>
          <li>after a live chat: a random token, so that the conversation is there when you come back;</li>
          <li>for the length of a visit: where you wanted to go when you were sent to sign in.</li>
        </ul>
        <p>Signing out removes the sign-in. All of it is gone when you clear the data of this site in your browser.</p>
      </>
    ),
  },
  {
    id: 'how-long',
    title: 'How long we keep it',
    body: (
      <>
        <p>
          Movements of money, trades, and what was done to an account are never changed or deleted while the law or a
          claim needs them: they are the proof of your balance. Sign-ins are deleted 90 days after they have ended,
          links that were mailed to you a week after they expired, and copies of sent e-mails after 30 days.
        </p>
        <p>
          Identity documents are kept as long as the account exists, and after it for the time that the law against
          money laundering prescribes.
        </p>
      </>
    ),
  },
  {
    id: 'protection',
    title: 'How it is protected',
    body: (
      <p>
        Connections are encrypted. Identity documents, receipts and bank numbers are encrypted where they are stored.
        Operators sign in with a second factor, see only what their role needs, and each look at an identity document is
        written to a log that cannot be altered unnoticed. You can add a second factor to your own account, see each
        device that is signed in, and end any of them.
      </p>
    ),
  },
  {
    id: 'your-rights',
    title: 'Your rights',
    body: (
      <p>
        You may ask what we keep about you, have errors corrected, receive your data, object to a use, and ask for
        deletion. What we must keep by law we then lock instead of deleting it. Write to <SupportMail />; we answer
        within the time that the law sets. You may also complain to the data protection authority of your country.
      </p>
    ),
  },
  {
    id: 'minors',
    title: 'Minors',
    body: (
      <p>
        We collect data of a minor only with the permission of a parent or guardian. If you think that we hold some
        without it, tell us and we delete it.
      </p>
    ),
  },
  {
    id: 'changes',
    title: 'Changes to this policy',
    body: (
      <p>
        We announce changes by e-mail and here, with the date. They take effect {figure('termsNoticeDays')} days after
        notice, like those of the <a href="/legal#changes">terms</a>.
      </p>
    ),
  },
]
