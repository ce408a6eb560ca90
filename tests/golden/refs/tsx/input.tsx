import { Button } from "./button";
import * as ui from "./ui";

interface Props {
  title: string;
  onClick: () => void;
}

export default function Page({ title, onClick }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <div className={styles.page}>
      <Button onClick={() => setOpen(!open)}>{title.trim()}</Button>
      <ui.Dialog open={open} close={onClick} />
    </div>
  );
}
