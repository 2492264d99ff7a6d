export { AddressBook } from './address-book.tsx'
