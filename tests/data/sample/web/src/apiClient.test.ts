import { ApiClient, ApiError } from "./apiClient";

function answerWith(status: number, body: string): void {
  globalThis.fetch = async () => new Response(body, { status });
}

test("ApiClient lists parcels", async () => {
  answerWith(200, '[{"number":"P1","recipient":"Ann","scannedAt":"2024-03-03"}]');
  const parcels = await new ApiClient("http://localhost", "t").listParcels();
  expect(parcels[0].number).toBe("P1");
});

test("ApiClient throws an ApiError", async () => {
  answerWith(429, "slow down");
  await expect(new ApiClient("http://localhost", "t").listParcels()).rejects.toThrow(ApiError);
});
