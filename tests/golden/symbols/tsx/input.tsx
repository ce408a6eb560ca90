import React, { useState } from "react";

interface Props {
  title: string;
}

/** A card. */
export const Card: React.FC<Props> = ({ title }) => {
  const [open, setOpen] = useState(false);
  const toggle = () => {
    setOpen(!open);
    return;
  };
  return (
    <div onClick={toggle}>
      {/* inside */}
      {title}
    </div>
  );
};

export default function App() {
  return <Card title="x" />;
}
