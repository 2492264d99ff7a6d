export { EditProfile } from './edit-profile.tsx'
export { TimeZone } from './time-zone.tsx'
