import { Fact, Facts, formatDate, formatDateTime } from '#web/ui/index.ts'
import { call } from '../../api.ts'
import { PersonFact } from '../../parts/person-fact.tsx'
import { PrivatePicture } from '../../parts/private-picture.tsx'
import styles from '../../parts/side-by-side.module.css'
import { approval, personOf, rejection } from '../screen/item.ts'
import { QueueScreen } from '../screen/queue-screen.tsx'

const METHOD = {
  drivers_license: "Driver's license",
  international_passport: 'International passport',
  national_id: 'National ID',
  utility_bill: 'Utility bill',
  bank_statement: 'Bank statement',
  tax_document: 'Tax document',
  others: 'Other document',
} as const

const FILTERS = [{ param: 'kind', label: 'Kind', options: { identity: 'Identity', address: 'Address' } }]

/** Identity checks: the profile next to the image of the ID. */
export default function IdentityChecks() {
  return (
    <QueueScreen
      queue="identity-checks"
      filters={FILTERS}
      line={(check) => ({
        words: `${check.name}, ${check.kind === 'address' ? 'proof of address: ' : ''}${METHOD[check.method]}`,
      })}
      detail={(check, may) => (
        <div className={styles.sides}>
          <Facts>
            <PersonFact {...check} />
            <Fact name="Name">{check.name}</Fact>
            <Fact name="Date of birth">{check.date_of_birth || '–'}</Fact>
            <Fact name="Address">
              {[check.address, check.city, check.state, check.country].filter(Boolean).join(', ')}
            </Fact>
            <Fact name="Proves">{check.kind === 'address' ? 'Address' : 'Identity'}</Fact>
            <Fact name="Document">{METHOD[check.method]}</Fact>
            {Object.entries(check.changed_from ?? {}).map(([field, before]) => (
              <Fact key={field} name={`Approved ${field.replaceAll('_', ' ')}`}>
                {before || '–'}
              </Fact>
            ))}
            <Fact name="Submitted">{formatDateTime(check.created_at)}</Fact>
            {check.decided_at && <Fact name="Decided">{formatDateTime(check.decided_at)}</Fact>}
            {check.reason && <Fact name="Reason">{check.reason}</Fact>}
            {check.superseded && <Fact name="Note">Replaced by a newer upload.</Fact>}
          </Facts>
          {check.file_url && may ? (
            <PrivatePicture
              path={check.file_url}
              label={`${check.kind === 'address' ? 'Proof of address' : 'ID'} of ${check.name}, uploaded ${formatDate(check.created_at)}`}
            />
          ) : (
            <p className={styles.none}>
              {check.file_url ? 'Only compliance can see the image.' : 'The image was deleted.'}
            </p>
          )}
        </div>
      )}
      actions={(check) =>
        check.status !== 'Pending' || check.superseded
          ? []
          : [
              approval(`the ${check.kind === 'address' ? 'address' : 'identity'} of ${personOf(check)}`, async () => {
                await call('POST /desk/identity-checks/:id/approve', { params: { id: check.id } })
                return check.kind === 'address'
                  ? `The address of ${check.email} is verified.`
                  : `${check.email} is verified.`
              }),
              rejection(async (reason) => {
                await call('POST /desk/identity-checks/:id/reject', { params: { id: check.id }, body: { reason } })
                return `The document of ${check.email} was rejected.`
              }, 'The trader sees this and can upload another document.'),
            ]
      }
    />
  )
}
