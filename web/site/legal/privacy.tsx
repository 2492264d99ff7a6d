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
        The operator of {figure('brand')} is responsible for the data described here. Send questions and requests to{' '}
        <SupportMail />, or call <SupportPhone />.
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
          First and last name, e-mail address, phone, gender, date of birth, address, city, state, country, your avatar
          if you add one, and the referral code you used. We store your password only as an irreversible hash.
        </dd>
        <dt>Your identity</dt>
        <dd>
          The image of your identity document, its type, and the result of the check. We re-encode the image, which
          removes the location and device that a camera adds, and then encrypt it.
        </dd>
        <dt>Your money and trades</dt>
        <dd>
          Deposits with their receipts, withdrawals with wallet or bank details, plans, trades, and every movement of
          your balances. Bank numbers are encrypted, and only their last digits are shown.
        </dd>
        <dt>Your sign-ins</dt>
        <dd>The IP address, the type of browser and device, and the time of each sign-in.</dd>
        <dt>What you write to us</dt>
        <dd>Contact messages, live chats and e-mails, with the name and address you give.</dd>
      </dl>
    ),
  },
  {
    id: 'why',
    title: 'What we use it for',
    body: (
      <ul>
        <li>To run your account, settle your trades and pay you: this is our agreement with you.</li>
        <li>To know who our clients are, and to prevent fraud and money laundering: the law requires it.</li>
        <li>To protect accounts, find errors and answer questions: this is in your interest and ours.</li>
        <li>To send you offers, only until you object.</li>
      </ul>
    ),
  },
  {
    id: 'advertising',
    title: 'Advertising and how to opt out',
    body: (
      <p>
        You may object to advertising at any time by writing to <SupportMail /> from the address you registered with. We
        honour it within {figure('advertisingOptOutBusinessDays')} business days. Notices about your money, your
        identity check and the safety of your account aren't advertising, and we keep sending them.
      </p>
    ),
  },
  {
    id: 'your-changes',
    title: 'When your details change',
    body: (
      <p>
        Notify us within {figure('privacyChangeDays')} days when a detail that identifies you changes: your name,
        address, country, phone or identity document. Most of them you can change under Profile → Edit profile; for the
        rest write to <SupportMail />. After a change, we may ask for a document that proves it.
      </p>
    ),
  },
  {
    id: 'who-receives-it',
    title: 'Who else receives it',
    body: (
      <>
        <p>We don't sell your data. Others receive only what they need for one of these tasks:</p>
        <ul>
          <li>
            the payment provider, for card deposits: the card number goes to the provider directly and never to us;
          </li>
          <li>banks and networks, to carry out a withdrawal; coin transfers are public on their network;</li>
          <li>our hosting and e-mail providers;</li>
          <li>authorities and courts, where required by law.</li>
        </ul>
        <p>
          Third-party charts and widgets are loaded from their servers, which then see your IP address. Unless the
          operator has decided otherwise, that happens only after you press the button to load one. They may set their
          own cookies, under their own terms.
        </p>
      </>
    ),
  },
  {
    id: 'cookies',
    title: 'Cookies and browser storage',
    body: (
      <>
        <p>
          There are no advertising or tracking cookies and no statistics scripts. We store only what the product needs:
        </p>
        <ul>
          <li>
            one cookie that keeps you signed in: until the browser is closed or 12 hours have passed, or for 30 days if
            you tick 'Remember me'. Scripts cannot read it;
          </li>
          <li>
            for five seconds after you change something, on larger installations: a cookie that only says so, so that
            the next page shows the change;
          </li>
          <li>
            in the browser's storage: your sign-in, live or demo mode, light or dark, your time zone, and your choices
            for the chart;
          </li>
          <li>after a live chat: a random token, so that you find the conversation when you come back;</li>
          <li>for the duration of a visit: the page to return to after you sign in.</li>
        </ul>
        <p>Signing out removes the sign-in. Clearing this site's data in your browser removes everything.</p>
      </>
    ),
  },
  {
    id: 'how-long',
    title: 'How long we keep it',
    body: (
      <>
        <p>
          We never change or delete money movements, trades and account actions while the law or a claim requires them:
          they prove your balance. We delete sign-ins {figure('keepSignInsDays')} days after they end, e-mailed links a
          week after they expire, and copies of sent e-mails after 30 days. We delete live chats and contact messages{' '}
          {figure('keepConversationsDays')} days after the last word.
        </p>
        <p>
          We keep identity documents as long as the account exists, and delete them {figure('keepDocumentsDays')} days
          after it was closed or a newer one replaced them, because anti-money laundering law requires us to keep them
          that long. You can close your account under Settings → Account: what we needn't keep is erased 14 days later.
        </p>
      </>
    ),
  },
  {
    id: 'protection',
    title: 'How it is protected',
    body: (
      <p>
        Connections are encrypted. Identity documents, receipts and bank numbers are stored encrypted. Operators sign in
        with a second factor, see only what their role needs, and each view of an identity document is recorded in a
        tamper-evident log. You can add a second factor to your own account, see each signed-in device, and sign any of
        them out.
      </p>
    ),
  },
  {
    id: 'your-rights',
    title: 'Your rights',
    body: (
      <p>
        You may ask what data we hold about you, have errors corrected, receive your data, object to its use, and ask
        for its deletion. If the law requires us to keep data, we lock it instead of deleting it. Write to{' '}
        <SupportMail />; we reply within the time set by law. You may also complain to the data protection authority of
        your country.
      </p>
    ),
  },
  {
    id: 'minors',
    title: 'Minors',
    body: (
      <p>
        We collect a minor's data only with the permission of a parent or guardian. If you think we hold such data
        without it, contact us and we'll delete it. {'{{minors}}'}
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
