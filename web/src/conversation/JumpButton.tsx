import { Button } from "../components/Button";
import { grouped } from "./amounts";

export function JumpButton({ fresh, onJump }: { fresh: number; onJump: () => void }) {
  return (
    <Button className="jump" icon="arrowDown" onClick={onJump}>
      Jump to newest{fresh > 0 ? ` (${grouped(fresh)} new)` : ""}
    </Button>
  );
}
