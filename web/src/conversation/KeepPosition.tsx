import { Component, type ReactNode, type RefObject } from "react";

interface Props {
  scroller: RefObject<HTMLElement | null>;
  /** The position of the first message shown; a lower one means that earlier messages were added above it. */
  firstSeq: number;
  children: ReactNode;
}

interface Snapshot {
  element: Element;
  top: number;
}

/**
 * Adds earlier messages above without moving what the user reads. A class, because only a class has a hook before the
 * document changes.
 */
export class KeepPosition extends Component<Props> {
  override getSnapshotBeforeUpdate(before: Readonly<Props>): Snapshot | null {
    if (this.props.firstSeq >= before.firstSeq) return null;
    const element = this.props.scroller.current?.querySelector("[data-message]");
    return element ? { element, top: element.getBoundingClientRect().top } : null;
  }

  override componentDidUpdate(_props: Readonly<Props>, _state: unknown, snapshot: Snapshot | null): void {
    const scroller = this.props.scroller.current;
    if (scroller && snapshot) scroller.scrollTop += snapshot.element.getBoundingClientRect().top - snapshot.top;
  }

  override render(): ReactNode {
    return this.props.children;
  }
}
