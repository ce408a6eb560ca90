import { formatDate } from "./dateFormat";

export interface Parcel {
  number: string;
  recipient: string;
  scannedAt: string;
}

export class ApiError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** Talks to the server; every answer that is not JSON or not 2xx becomes an ApiError. */
export class ApiClient {
  constructor(private readonly baseUrl: string, private readonly token: string) {}

  async listParcels(): Promise<Parcel[]> {
    return this.request<Parcel[]>("/parcels");
  }

  async trackParcel(number: string): Promise<string> {
    const answer = await this.request<{ place: string; at: string }>(
      `/track/${encodeURIComponent(number)}`,
    );
    return `${answer.place}, ${formatDate(new Date(answer.at))}`;
  }

  private async request<T>(path: string): Promise<T> {
    const response = await fetch(this.baseUrl + path, {
      headers: { Authorization: `Bearer ${this.token}` },
    });
    if (!response.ok) {
      throw new ApiError(response.status, await response.text());
    }
    return (await response.json()) as T;
  }
}
