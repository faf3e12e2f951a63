"""``python -m zencli``: the same as the command."""

from zencli.cli.main import main

if __name__ == "__main__":
    main()
