export { ApiClient, ApiError } from "./apiClient";
export type { Parcel } from "./apiClient";
export { ParcelTable } from "./components/ParcelTable";
export { formatAge, formatDate } from "./dateFormat";
