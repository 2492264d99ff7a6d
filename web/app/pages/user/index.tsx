import { Navigate } from 'react-router'

export default function UserIndex() {
  return <Navigate to="/user/home" replace />
}
