/** Returns the encryption context of an authenticator's secret: the operator's e-mail address, which never changes. */
export const secretOf = (email: string): string => `operator ${email.toLowerCase()}`
