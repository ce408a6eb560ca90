import { useEffect, useState } from "react";

import { ApiClient, Parcel } from "../apiClient";
import { formatDate } from "../dateFormat";

interface Props {
  client: ApiClient;
  pageSize?: number;
}

/** The list of parcels with sorting by column and pages. */
export function ParcelTable({ client, pageSize = 25 }: Props) {
  const [parcels, setParcels] = useState<Parcel[]>([]);
  const [sortKey, setSortKey] = useState<keyof Parcel>("scannedAt");
  const [page, setPage] = useState(0);

  useEffect(() => {
    client.listParcels().then(setParcels);
  }, [client]);

  const sorted = [...parcels].sort((a, b) => a[sortKey].localeCompare(b[sortKey]));
  const shown = sorted.slice(page * pageSize, (page + 1) * pageSize);

  return (
    <table>
      <thead>
        <tr>
          <th onClick={() => setSortKey("number")}>Number</th>
          <th onClick={() => setSortKey("recipient")}>Recipient</th>
          <th onClick={() => setSortKey("scannedAt")}>Scanned</th>
        </tr>
      </thead>
      <tbody>
        {shown.map((parcel) => (
          <tr key={parcel.number}>
            <td>{parcel.number}</td>
            <td>{parcel.recipient}</td>
            <td>{formatDate(new Date(parcel.scannedAt))}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <button onClick={() => setPage(page + 1)}>More</button>
      </tfoot>
    </table>
  );
}
