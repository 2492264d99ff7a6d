/** Addresses and their keys, for `emailKeyOf` and for `email_key_of` in the database. */
export const EMAIL_KEYS: Readonly<Record<string, string>> = {
  'fin1@desk.example': 'fin1@desk.example',
  'fin1+t@desk.example': 'fin1@desk.example',
  'FIN1+Trader+2@Desk.EXAMPLE': 'fin1@desk.example',
  'fin1+@desk.example': 'fin1@desk.example',
  // Most mail servers tell dots and hyphens apart.
  'fin.1@desk.example': 'fin.1@desk.example',
  'fin-1@desk.example': 'fin-1@desk.example',
  'fin1@mail.desk.example': 'fin1@mail.desk.example',
  'Ada.Love.Lace+desk@GMail.com': 'adalovelace@gmail.com',
  'adalovelace@googlemail.com': 'adalovelace@gmail.com',
  'ada.lovelace@notgmail.com': 'ada.lovelace@notgmail.com',
  'ada.lovelace@gmail.com.example': 'ada.lovelace@gmail.com.example',
  "o'brien_%x@desk.example": "o'brien_%x@desk.example",
}
