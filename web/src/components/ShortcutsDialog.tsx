import { shortcutList } from "../shortcuts";
import { Dialog } from "./Dialog";

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" className="shortcuts-dialog" onClose={onClose}>
      <div className="shortcuts">
        {shortcutList.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(({ keys: pressed, does }) => (
                <div key={does} className="shortcuts-row">
                  <dt>
                    {pressed.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
