export { SaveDestination } from './add-entry.tsx'
export { AddressBook } from './address-book.tsx'
